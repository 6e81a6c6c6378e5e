import { Stack } from '@mantine/core'
import { PageHead } from '../ui/page-parts.tsx'
import { useTabTitle } from '../ui/tab-title.ts'
import { Buttons } from './buttons.tsx'
import { Charts } from './charts.tsx'
import { Dialogs } from './dialogs.tsx'
import { Fields } from './fields.tsx'
import { Lists } from './lists.tsx'
import { Marks } from './marks.tsx'
import { Notes } from './notes.tsx'

/** Every part of the console in its states, for those who work on it: `/dev/components` under `npm run dev`. */
export default function Components() {
  useTabTitle('Components')
  return (
    <Stack>
      <PageHead title="Components" about="The parts of web/ui and web/forms, in their states." />
      <Buttons />
      <Fields />
      <Lists />
      <Charts />
      <Notes />
      <Dialogs />
      <Marks />
    </Stack>
  )
}
