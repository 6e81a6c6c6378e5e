type Attributes = Readonly<Record<string, string | boolean | undefined>>

/** Makes an element; an attribute that is true is empty, one that is false or undefined is left out. */
export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Attributes = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name)
  for (const [key, value] of Object.entries(attributes))
    if (value !== undefined && value !== false) made.setAttribute(key, value === true ? '' : value)
  made.append(...children)
  return made
}

/** Reads a value that this origin has stored; undefined without storage. */
export function stored(storage: 'localStorage' | 'sessionStorage', key: string): string | undefined {
  try {
    return window[storage].getItem(key) ?? undefined
  } catch {
    return undefined
  }
}

/** Stores a value, or removes it; without storage it is forgotten. */
export function store(storage: 'localStorage' | 'sessionStorage', key: string, value: string | undefined) {
  try {
    if (value === undefined) window[storage].removeItem(key)
    else window[storage].setItem(key, value)
  } catch {
    // The value is forgotten with the page.
  }
}
