declare module "fs-native-extensions" {
  const fne: {
    /** True when this descriptor has the lock now, also when it had it before. Throws EBADF on one not open for writing, unless it is shared. */
    tryLock(fd: number, offset: number, length: number, options?: { shared?: boolean }): boolean;
    unlock(fd: number, offset: number, length: number): void;
    /** Exchanges two names; on Linux in one step. */
    swapSync: (from: string, to: string) => void;
  };
  export default fne;
}
