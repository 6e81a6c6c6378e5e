import { Text } from '@mantine/core'
import { Fragment } from 'react'
import { ExternalLink } from './external-link.tsx'
import { t } from '../texts.ts'

/** A possible URL in a text, with the punctuation after it. */
const candidate = /https?:\/\/[^\s<>"]+/gi
/** Punctuation that ends a sentence, not a URL. */
const after_address = /[.,;:!?'’”»)\]}…]$/u
/** Invisible characters, including those that change the writing direction. */
const invisible = /[\p{Cf}\p{Cc}]/u

/**
 * A text of a user, unchanged, with its URLs linked. When the host differs from the text (`аpple.com` with a Cyrillic
 * letter), the real host is shown after the link.
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
            {t('ui.linked-text.leads-to', { host: url.host })}
          </Text>
        )}
      </Fragment>
    ) : (
      text
    ),
  )

interface Part {
  text: string
  /** The target, if it is linked. */
  url?: URL
}

function parts(text: string): Part[] {
  const found: Part[] = []
  let end = 0
  for (const { 0: whole, index } of text.matchAll(candidate)) {
    const address = withoutPunctuation(whole)
    const url = linkTarget(address)
    if (!url) continue
    found.push({ text: text.slice(end, index) }, { text: address, url })
    end = index + address.length
  }
  return [...found, { text: text.slice(end) }]
}

/** Removes final punctuation; keeps a closing bracket that was opened in the URL. */
function withoutPunctuation(whole: string) {
  let address = whole
  while (after_address.test(address) && !(address.endsWith(')') && isBalanced(address))) address = address.slice(0, -1)
  return address
}

const isBalanced = (text: string) => text.split('(').length === text.split(')').length

/** The URL, unless it has credentials: `https://plaza.example@evil.example` is misleading and stays text. */
function linkTarget(address: string) {
  if (invisible.test(address) || !URL.canParse(address)) return undefined
  const url = new URL(address)
  return url.username === '' && url.password === '' ? url : undefined
}
