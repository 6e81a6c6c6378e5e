import { MantineProvider } from '@mantine/core'
import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import { Markdown } from './markdown.tsx'

/** Renders a text without Mantine's attributes and styles. */
function rendered(text: string) {
  const page = renderToStaticMarkup(createElement(MantineProvider, null, createElement(Markdown, { text })))
  return page
    .replaceAll(/<style[^>]*>.*?<\/style>/gs, '')
    .replace(/^.*?<div[^>]*>(.*)<\/div>$/s, '$1')
    .replaceAll(/ (?:class|dir|data-[a-z-]+)="[^"]*"/g, '')
}

test('Markdown becomes elements', () => {
  expect(rendered('# Keys\n\nA *key* is **secret**: `bc1q…`.')).toBe(
    '<h2>Keys</h2><p>A <em>key</em> is <strong>secret</strong>: <code>bc1q…</code>.</p>',
  )
  expect(rendered('- one\n- two\n\n3. three')).toBe(
    '<ul><li>one</li><li>two</li></ul><ol start="3"><li>three</li></ol>',
  )
  expect(rendered('> so\n\n---\n\n| a |\n| - |\n| b |')).toContain('<th>a</th></tr></thead><tbody><tr><td>b</td></tr>')
})

test('HTML tags are shown as text, and no external resource is loaded', () => {
  expect(
    rendered('<script>alert(1)</script>\n\nHi <img src=x onerror=alert(1)> ![A cat](https://cats.example/1.png)'),
  ).toBe('&lt;script&gt;alert(1)&lt;/script&gt;<p>Hi &lt;img src=x onerror=alert(1)&gt; A cat</p>')
})

test('only https and mailto links are rendered, and they open in a new window', () => {
  expect(rendered('[bips](https://bips.example/39 "39")')).toBe(
    '<p><a href="https://bips.example/39" target="_blank" rel="noopener noreferrer">bips</a></p>',
  )
  for (const address of [
    'javascript:alert(1)',
    'JaVaScRiPt:alert(1)',
    'data:text/html,hi',
    'http://a.example',
    '//a.b',
  ])
    expect(rendered(`[bips](${address})`)).toBe('<p>bips</p>')
})
