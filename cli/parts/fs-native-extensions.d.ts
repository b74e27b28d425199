// The package has no types of its own; of it only this is used.
declare module 'fs-native-extensions' {
  /**
   * Of an open file description: it goes when the last descriptor of that is closed, however its process ends.
   * @param fd open for writing, or for reading where it is to be shared
   * @returns false when another holds one that does not allow this
   */
  export function tryLock(fd: number, options?: { readonly shared?: boolean }): boolean;
}
