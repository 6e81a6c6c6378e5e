/** Random text of letters, digits, `-` and `_`, with 256 bits. */
export const randomText = () => base64url(crypto.getRandomValues(new Uint8Array(32)))

export const base64url = (bytes: Uint8Array) =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')

/** Decodes base64; undefined for invalid input. */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0))
  } catch {
    return undefined
  }
}
