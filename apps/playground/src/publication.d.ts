/** The plugin `publication` in vite.config.ts generates this module from publication.json in the root of the repository. */
declare module "virtual:publication" {
  /** Whether the repository and the package can be reached. */
  export const isPublic: boolean;
  export const repository: string;
  export const npm: string;
}
