import { MantineProvider } from '@mantine/core'
import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test, vi } from 'vitest'
import { actionOptions, AuditSentence, remarkOf, type AuditEntry } from './audit-sentence.tsx'

// The session listens for window events of other tabs.
vi.hoisted(() => Object.assign(globalThis, { addEventListener: () => undefined }))

const entryOf = (entry: Partial<AuditEntry>): AuditEntry => ({
  id: '1',
  actor_id: 'a',
  actor_username: 'root',
  action: 'app.reject',
  // Without an id, the name is not a link, which would need a router.
  target_id: null,
  target_name: 'Lantern & Wick',
  details: {},
  inserted_at: '2026-01-01T00:00:00.000Z',
  ...entry,
})

const sentence = (entry: Partial<AuditEntry>) =>
  renderToStaticMarkup(createElement(MantineProvider, null, createElement(AuditSentence, { entry: entryOf(entry) })))
    .replace(/<style.*?<\/style>/gs, '')
    .replace(/<[^>]+>/g, '')
    .replace('&amp;', '&')

test('D-81: an entry of the audit log is a sentence, also of an action that an older console does not know', () => {
  expect(sentence({})).toBe('root rejected Lantern & Wick')
  expect(sentence({ action: 'app.approve', details: { listed: true } })).toBe(
    'root approved Lantern & Wick and listed it',
  )
  expect(sentence({ action: 'app.approve', details: {} })).toBe('root approved Lantern & Wick')
  expect(sentence({ action: 'job.retry', target_id: null, target_name: null, details: { job: 'mail' } })).toBe(
    'root retried the failed job mail',
  )
  expect(sentence({ actor_id: null, actor_username: null })).toBe('The platform rejected Lantern & Wick')
  expect(sentence({ actor_username: null })).toBe('A deleted account rejected Lantern & Wick')
  expect(sentence({ action: 'app.fold' })).toBe('root: app.fold Lantern & Wick')
})

test('D-81: every action can be filtered by its sentence without names', () => {
  const labels = actionOptions().map(({ label }) => label)
  expect(labels).toContain('rejected …')
  expect(new Set(labels).size).toBe(labels.length)
})

test('D-81: the remark of an entry is the reason, with the decision about a case', () => {
  expect(remarkOf(entryOf({ details: { reason: 'No policy.' } }))).toBe('No policy.')
  expect(remarkOf(entryOf({ details: { rejected_because: null } }))).toBe('')
  expect(remarkOf(entryOf({ action: 'case.decide', details: { actions: ['mute'], reason: 'Spam.' } }))).toBe(
    'Muted: Spam.',
  )
})
