/** Makes answers that read a whole log one after the other, so that requests which ended meanwhile cost nothing. */
export class InTurn {
  #last: Promise<unknown> = Promise.resolve();

  /** Undefined where `isWanted` says no once it is the turn of this answer. */
  take<T>(isWanted: () => boolean, make: () => Promise<T>): Promise<T | undefined> {
    const made = this.#last.then(async () => {
      // The end of a connection is seen in a turn of the event loop, and the answer before took the last one.
      await new Promise((done) => setImmediate(done));
      return isWanted() ? make() : undefined;
    });
    // An answer that fails is told to its request, and holds up no other.
    this.#last = Promise.allSettled([made]);
    return made;
  }
}
