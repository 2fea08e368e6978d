declare module "fs-native-extensions" {
  const fne: {
    /** True when this descriptor has the lock now (also when it had it before); throws EBADF on one not open for writing. */
    tryLock(fd: number): boolean;
    unlock(fd: number): void;
  };
  export default fne;
}
