/**
 * The storage of the browser for this site, permanent or of a tab. Browsers may throw at any access or be out of room: then a value is
 * kept in memory as long as the page.
 */
function storageOf(name: 'localStorage' | 'sessionStorage') {
  const unkept = new Map<string, string | undefined>()
  return {
    get(key: string): string | undefined {
      if (unkept.has(key)) return unkept.get(key)
      try {
        return globalThis[name].getItem(key) ?? undefined
      } catch {
        return undefined
      }
    },
    /** The keys that begin with `prefix`. */
    keys(prefix: string): string[] {
      const isMeant = (key: string) => key.startsWith(prefix)
      try {
        return [...unkept.keys(), ...Object.keys(globalThis[name])].filter(isMeant)
      } catch {
        return [...unkept.keys()].filter(isMeant)
      }
    },
    /** Without a value the key is removed. */
    set(key: string, value: string | undefined) {
      try {
        if (value === undefined) globalThis[name].removeItem(key)
        else globalThis[name].setItem(key, value)
        unkept.delete(key)
      } catch {
        unkept.set(key, value)
      }
    },
  }
}

export const browser_storage = storageOf('localStorage')
export const tab_storage = storageOf('sessionStorage')

/** The value that was stored as JSON; undefined without one, and where another program has stored something else. */
export function parseStored<Value>(text: string | undefined): Value | undefined {
  try {
    return (JSON.parse(text ?? 'null') as Value | null) ?? undefined
  } catch {
    return undefined
  }
}

/** Whether the browser keeps anything of this site. */
export function isStorageKept() {
  const probe = 'plaza.probe'
  try {
    localStorage.setItem(probe, probe)
    localStorage.removeItem(probe)
    return true
  } catch {
    return false
  }
}
