import { Text } from '@mantine/core'
import { useState } from 'react'
import { isStorageKept } from '../storage.ts'
import { t } from '../texts.ts'

/** If the browser stores nothing, says before a sign-in that it lasts only as long as the page. */
export function StorageNote() {
  const [is_kept] = useState(isStorageKept)
  return is_kept ? null : <Text size="sm">{t('session.storage-note.your-browser-keeps-nothing-of-plaza')}</Text>
}
