/** The `declarationTexts` plugin in vite.config.ts generates this module. */
declare module "virtual:sample-page-texts" {
  export const texts: readonly string[];
}
