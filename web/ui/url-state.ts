import { useRouter, useSearch, type RegisteredRouter } from '@tanstack/react-router'

type Path = keyof RegisteredRouter['routesByPath']

export type SearchAt<At extends Path> = RegisteredRouter['routesByPath'][At]['types']['fullSearchSchema']

type Changes<At extends Path> = { [Name in keyof SearchAt<At>]?: SearchAt<At>[Name] | undefined }

/**
 * The search parameters of the page, and a function that changes some of them in place, such as a list's filter;
 * undefined removes one. Unsaved input does not prevent it.
 */
export function useUrlState<At extends Path>(path: At) {
  const router = useRouter()
  const search = useSearch({ from: path } as never) as unknown as SearchAt<At>
  const change = (changes: Changes<At>) =>
    void router.navigate({
      to: '.',
      search: { ...(search as object), ...changes } as never,
      replace: true,
      resetScroll: false,
      ignoreBlocker: true,
    })
  return [search, change] as const
}
