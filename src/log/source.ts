/** Where the bytes of a log come from: an open file, or a buffer in memory. */
export interface ByteSource {
  /** Bytes there are now. */
  size(): number;
  /** Fills `into` from `position` on and returns how many bytes came; 0 at the end. */
  read(into: Uint8Array, position: number): number;
}

/** A source over bytes in memory. */
export function bytesSource(bytes: Uint8Array): ByteSource {
  return {
    size: () => bytes.length,
    read: (into, position) => {
      const part = bytes.subarray(position, position + into.length);
      into.set(part);
      return part.length;
    },
  };
}
