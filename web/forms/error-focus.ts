import { useEffect, useRef, useState } from 'react'

const fields = 'input, textarea, select, button, [tabindex]'

/** Puts the cursor into the first field of a form, as they stand on the page, that is marked as wrong. */
function focusFirstFault(form: HTMLFormElement | null, paths: readonly string[]) {
  const wrong = [...(form?.querySelectorAll<HTMLElement>('[aria-invalid=true], [data-path]') ?? [])].find(
    (element) => element.ariaInvalid === 'true' || paths.includes(element.dataset.path ?? ''),
  )
  const field = wrong?.matches(fields) ? wrong : wrong?.querySelector<HTMLElement>(fields)
  field?.focus()
}

/**
 * For a form that marks its wrong fields: give it the `ref`, and call `focusError` along with what marks them. The cursor
 * moves once they are drawn. `paths` names groups of fields, which cannot be marked themselves, by their `data-path`.
 */
export function useErrorFocus() {
  const form = useRef<HTMLFormElement>(null)
  const [wanted, setWanted] = useState<{ paths: readonly string[] }>()
  useEffect(() => {
    if (wanted) focusFirstFault(form.current, wanted.paths)
  }, [wanted])
  return { ref: form, focusError: (paths: readonly string[] = []) => setWanted({ paths }) }
}
