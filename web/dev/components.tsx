import { Stack } from '@mantine/core'
import { PageHead } from '../ui/page-parts.tsx'
import { useTabTitle } from '../ui/tab-title.ts'
import { buttons } from './buttons.tsx'
import { charts } from './charts.tsx'
import { dialogs } from './dialogs.tsx'
import { fields } from './fields.tsx'
import { lists } from './lists.tsx'
import { marks } from './marks.tsx'
import { notes } from './notes.tsx'
import { PartList } from './part.tsx'

/** Every part of the console in its states, for developers: `/dev/components` under `npm run dev`. */
export default function Components() {
  useTabTitle('Components')
  return (
    <Stack>
      <PageHead title="Components" about="The parts of web/ui and web/forms, in their states." />
      <PartList parts={{ ...buttons, ...fields, ...lists, ...charts, ...notes, ...dialogs, ...marks }} />
    </Stack>
  )
}
