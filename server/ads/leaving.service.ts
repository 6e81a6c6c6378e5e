import { longSection } from '../platform/export-section.ts'
import { listAdEventsOf } from './leaving.store.ts'

/** The ads that a person saw and clicked. They stay when the person leaves, because they contain only ids. */
export const ads_sections = [longSection('ads', listAdEventsOf, ({ at, id }) => ({ at, id }), ['at'])]
