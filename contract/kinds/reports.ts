/** The parts of a profile that can be reported separately, each with the action that removes it. */
export const look_removals = { display_name: 'remove_display_name', picture: 'remove_picture' } as const

export type LookPart = keyof typeof look_removals
export const look_parts = Object.keys(look_removals) as LookPart[]

/** The subjects of reports. */
export const report_kinds = ['message', 'person', ...look_parts] as const
export type ReportKind = (typeof report_kinds)[number]
