import { Tabs } from '@mantine/core'
import { useRouter } from '@tanstack/react-router'
import { Suspense, type ReactNode } from 'react'
import type { Declaration } from '../../contract/endpoint.ts'
import { mayNow } from '../session/rights.tsx'
import { LoadingSkeleton } from './page-parts.tsx'
import { useTabTitle } from './tab-title.ts'

interface PageTabsProps<Tab extends string> {
  label: string
  /** The page's name in the title of the browser's tab, after the name of the shown part. */
  title: string
  /** The tab in the URL; the first one without. */
  tab: Tab | undefined
  /** The name of the search parameter. Changing the tab removes all others. */
  param?: 'tab' | 'what' | 'view'
  tabs: Record<Tab, readonly [label: string, content: () => ReactNode]>
  /** The read of each tab: people who may not make it do not see the tab (D-135). */
  reads?: Record<Tab, Declaration>
  spacing?: 'sm' | 'md'
}

/** The parts of a page as tabs. The tab is in the URL, so that it can be linked and survives a reload. */
export function PageTabs<Tab extends string>(props: PageTabsProps<Tab>) {
  const { label, title, param = 'tab', tabs, reads, spacing = 'md' } = props
  const router = useRouter()
  const names = (Object.keys(tabs) as Tab[]).filter((name) => !reads || mayNow(reads[name]))
  const tab = names.find((name) => name === props.tab)
  useTabTitle(tab === undefined || tab === names[0] ? title : `${tabs[tab][0]} · ${title}`)
  const show = (name: string | null) =>
    void router.navigate({
      to: '.',
      search: (name === names[0] ? {} : { [param]: name }) as never,
      replace: true,
      resetScroll: false,
    })
  return (
    <Tabs value={tab ?? names[0] ?? null} onChange={show} keepMounted={false}>
      <Tabs.List aria-label={label} mb="lg">
        {names.map((name) => (
          <Tabs.Tab key={name} value={name} px={{ base: 8, sm: spacing }}>
            {tabs[name][0]}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {names.map((name) => (
        <Tabs.Panel key={name} value={name}>
          <Suspense fallback={<LoadingSkeleton rows={5} />}>{name === (tab ?? names[0]) && tabs[name][1]()}</Suspense>
        </Tabs.Panel>
      ))}
    </Tabs>
  )
}
