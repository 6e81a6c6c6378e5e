import type { Declaration } from '../../contract/endpoint.ts'

/** A declared path (`/apps/{id}`) as the router writes it (`/apps/:id`). */
export const routePath = (path: string) => path.replace(/\{(\w+)\}/g, ':$1')

/** The methods under which a concrete path is served; empty where it is not at all. */
export function allowedMethods(endpoints: readonly Declaration[], url: string): string[] {
  const path = url.split('?', 1)[0] ?? url
  const matching = endpoints.filter((endpoint) => patternOf(endpoint.path).test(path))
  return [...new Set(matching.map(({ method }) => method))]
}

const patternOf = (path: string) => new RegExp(`^${path.replace(/[.]/g, '\\.').replace(/\{\w+\}/g, '[^/]+')}$`)
