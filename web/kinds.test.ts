import { MantineProvider } from '@mantine/core'
import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import type { Notice } from './kinds.tsx'
import { NoticeRow } from './pages/inbox/notice-row.tsx'

test('a notice whose event and kind an older tab does not know is shown as text without a link', () => {
  const notice = {
    id: '1',
    event: 'of_a_later_version',
    kind: 'later',
    count: 1,
    amount: null,
    app_id: null,
    subject_id: null,
    subject_name: null,
    reason: 'Because',
    is_read: false,
    happened_at: '2026-01-01T00:00:00.000Z',
  } as unknown as Notice
  const row = createElement(NoticeRow, { notice, onRead: () => {} })
  const html = renderToStaticMarkup(createElement(MantineProvider, null, row))
  expect(html).toContain('There is news. Reload the page to read it.')
  expect(html).toContain('Because')
  expect(html).not.toContain('<a ')
})
