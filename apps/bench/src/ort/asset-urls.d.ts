/** The URL of a file that the build emits. */
declare module "*?url" {
  const url: string;
  export default url;
}
