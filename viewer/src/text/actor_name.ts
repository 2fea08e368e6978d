/** `ada` of `agent:ada` */
export function nameOf(by: string): string {
  return by.replace(/^(human|agent|system):/, "");
}
