/** How another program runs agents in this folder. We keep it and act on none of it. */
export interface Config {
  maxConcurrentAgents: number;
  timeoutSeconds: number;
  autoApprove: boolean;
}

/** Coco's defaults, for tasks of our own. */
export const DEFAULT_CONFIG: Config = { maxConcurrentAgents: 3, timeoutSeconds: 3600, autoApprove: false };
