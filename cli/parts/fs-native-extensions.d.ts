// Types of the one function that Isthmus uses. The package itself has no types.
declare module 'fs-native-extensions' {
  /**
   * Locks an open file description. The kernel releases the lock when its last descriptor is closed, even if
   * the process dies.
   * @param fd a file descriptor that is open for writing, or for reading if the lock is shared
   * @returns false if a conflicting lock exists
   */
  export function tryLock(fd: number, options?: { readonly shared?: boolean }): boolean;
}
