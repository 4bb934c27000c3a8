/** Made by vite.config.ts. */
declare module "virtual:declaration-texts" {
  export const texts: readonly import("@framebatch/models/languages/pieces").LanguageTexts[];
}
