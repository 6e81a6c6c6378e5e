/** Made by texts-plugin.ts. */
declare module 'virtual:languages' {
  import type { CompiledMessage } from 'icu-minify/format'

  /** Loads the texts of a language other than English. */
  export const languages: Record<
    string,
    () => Promise<{
      texts: Record<string, CompiledMessage>
      /** Texts of the contract, by what they are in English. */
      contract_texts: Record<string, string>
    }>
  >
}
