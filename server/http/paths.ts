import type { Declaration } from '../../contract/endpoint.ts'

/** A declared path (`/apps/{id}`) in the router's syntax (`/apps/:id`). */
export const routePath = (path: string) => path.replace(/\{(\w+)\}/g, ':$1')

/**
 * Returns a lookup of the methods that a concrete path accepts; empty for unknown paths. Patterns are compiled once, at the
 * first lookup after their endpoints are mounted.
 */
export function createAllowedMethodsLookup(endpoints: readonly Declaration[]) {
  const paths = new Map<string, { pattern: RegExp; methods: Set<string> }>()
  let compiled = 0
  return (url: string): string[] => {
    for (; compiled < endpoints.length; compiled++) {
      const { path, method } = endpoints[compiled]!
      const known = paths.get(path)
      if (known) known.methods.add(method)
      else paths.set(path, { pattern: patternOf(path), methods: new Set([method]) })
    }
    const path = url.split('?', 1)[0] ?? url
    const methods = new Set<string>()
    for (const served of paths.values())
      if (served.pattern.test(path)) for (const method of served.methods) methods.add(method)
    return [...methods]
  }
}

const patternOf = (path: string) => new RegExp(`^${path.replace(/[.]/g, '\\.').replace(/\{\w+\}/g, '[^/]+')}$`)
