/**
 * The browser's storage for this site, permanent or per tab. Browsers may throw on any access or be out of space; a
 * value then stays in memory while the page is open.
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
    /** Without a value, the key is removed. */
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

/** A value stored as JSON; undefined if there is none, or if another program has stored something else. */
export function parseStored<Value>(text: string | undefined): Value | undefined {
  try {
    return (JSON.parse(text ?? 'null') as Value | null) ?? undefined
  } catch {
    return undefined
  }
}

/** Whether the browser stores data for this site. */
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
