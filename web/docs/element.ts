type Attributes = Readonly<Record<string, string | boolean | undefined>>

/** Creates an element. An attribute that is true is empty; one that is false or undefined is omitted. */
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
