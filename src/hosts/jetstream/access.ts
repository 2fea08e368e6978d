/** Whether the servers let this user in. A user that was turned away asks less often, and is let in again once its rights are back. */
const RECONNECT_MS = { ordinary: 100, denied: 2000 };

export class Access {
  /** The refusal of the server that turned the user away. */
  denial: Error | null = null;

  /** How long to wait before the next attempt to connect. Machines do not come all at once. */
  delayMs(): number {
    const ms = this.denial ? RECONNECT_MS.denied : RECONNECT_MS.ordinary;
    return ms + Math.floor(Math.random() * ms);
  }
}
