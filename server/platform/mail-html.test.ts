import { expect, test } from 'vitest'
import { mailHtml } from './mail-html.ts'

const paragraphsOf = (text: string) =>
  [...mailHtml(text, 'https://plaza.test').matchAll(/^<p>(.*)<\/p>$/gm)].map(([, content]) => content)

test('D-11: a mail as HTML has paragraphs, large codes, and links to this service only', () => {
  const text = `Hello <b>,

the code is 123456

Enter it, or open https://plaza.test/verify#123456

Your app: https://plaza.test/apps/1

https://plaza.test/account/security

Evil "https://plaza.test.evil/x"
https://plazaXtest/
`
  expect(paragraphsOf(text)).toEqual([
    'Hello &lt;b&gt;,',
    'the code is <strong class="code">123456</strong>',
    'Enter it, or open <a href="https://plaza.test/verify#123456">https://plaza.test/verify#123456</a>',
    '<a class="button" href="https://plaza.test/apps/1">Your app</a>',
    '<a href="https://plaza.test/account/security">https://plaza.test/account/security</a>',
    'Evil &quot;https://plaza.test.evil/x&quot;<br>https://plazaXtest/',
  ])
  expect(mailHtml(text, 'https://plaza.test', 'de')).toContain('<html lang="de">')
  // A remote picture would reveal when the mail is read.
  expect(mailHtml(text, 'https://plaza.test')).not.toMatch(/<img|url\(/)
})
