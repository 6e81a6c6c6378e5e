import { Text } from '@mantine/core'
import { Fragment } from 'react'
import { ExternalLink } from './external-link.tsx'

/** What can be an address in a text, with what may follow it in the sentence. */
const candidate = /https?:\/\/[^\s<>"]+/gi
/** Ends a sentence rather than an address. */
const after_address = /[.,;:!?'’”»)\]}…]$/u
/** Characters that nobody sees, or that turn the direction of what stands beside them. */
const unseen = /[\p{Cf}\p{Cc}]/u

/**
 * A text that somebody else wrote, exactly as they wrote it, whose web addresses can be followed. Where an address leads
 * elsewhere than its letters say (`аpple.com` with a Cyrillic letter), the true host stands behind it.
 */
export const LinkedText = ({ children }: { children: string }) =>
  parts(children).map(({ text, url }, at) =>
    url ? (
      <Fragment key={at}>
        <ExternalLink address={text} title={url.href} dir="ltr">
          {text}
        </ExternalLink>
        {!text.toLowerCase().includes(url.host) && (
          <Text span size="xs" c="dimmed" dir="ltr">
            {' '}
            (leads to {url.host})
          </Text>
        )}
      </Fragment>
    ) : (
      text
    ),
  )

interface Part {
  text: string
  /** Where it leads, if it is an address that may be followed. */
  url?: URL
}

function parts(text: string): Part[] {
  const found: Part[] = []
  let end = 0
  for (const { 0: whole, index } of text.matchAll(candidate)) {
    const address = withoutEnd(whole)
    const url = followed(address)
    if (!url) continue
    found.push({ text: text.slice(end, index) }, { text: address, url })
    end = index + address.length
  }
  return [...found, { text: text.slice(end) }]
}

/** Without what ends the sentence; a bracket that was opened in the address belongs to it. */
function withoutEnd(whole: string) {
  let address = whole
  while (after_address.test(address) && !(address.endsWith(')') && isBalanced(address))) address = address.slice(0, -1)
  return address
}

const isBalanced = (text: string) => text.split('(').length === text.split(')').length

/** Who writes a name before the host (`https://plaza.example@evil.example`) wants to mislead: that stays text. */
function followed(address: string) {
  if (unseen.test(address) || !URL.canParse(address)) return undefined
  const url = new URL(address)
  return url.username === '' && url.password === '' ? url : undefined
}
