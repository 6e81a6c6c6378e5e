/** Made by texts-plugin.ts. */
declare module 'virtual:languages' {
  import type { CompiledMessage } from 'icu-minify/format'

  /** Loads the texts of a language other than English. */
  export const languages: Record<
    string,
    () => Promise<{
      texts: Record<string, CompiledMessage>
      /** Translates texts of the contract, with numbers in the format of the locale. */
      translatorFor: (locale: string) => (text: string) => string
    }>
  >
}
