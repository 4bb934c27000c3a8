/** The `declarationTexts` plugin in vite.config.ts generates this module. */
declare module "virtual:declaration-texts" {
  export const texts: readonly import("@framebatch/models/languages/pieces").LanguageTexts[];
}
