/** A file that the build emits, by its address. */
declare module "*?url" {
  const url: string;
  export default url;
}
