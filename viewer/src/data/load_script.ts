/** Adds a classic script and waits until it ran: what works from disk too, where a module does not load. */
export function loadScript(src: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const element = document.createElement("script");
    element.src = src;
    element.addEventListener("load", () => {
      element.remove();
      resolve();
    });
    element.addEventListener("error", () => {
      element.remove();
      reject(new Error(src));
    });
    document.head.append(element);
  });
}
