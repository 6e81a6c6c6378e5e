import { useEffect, useRef, useState } from 'react'

const fields = 'input, textarea, select, button, [tabindex]'

/** Focuses the first invalid field, in document order. */
function focusFirstError(form: HTMLFormElement | null, paths: readonly string[]) {
  const invalid = [...(form?.querySelectorAll<HTMLElement>('[aria-invalid=true], [data-path]') ?? [])].find(
    (element) => element.ariaInvalid === 'true' || paths.includes(element.dataset.path ?? ''),
  )
  const field = invalid?.matches(fields) ? invalid : invalid?.querySelector<HTMLElement>(fields)
  field?.focus()
}

/**
 * Focuses the first invalid field of a form. Pass the `ref` to the form, and call `focusError` when errors are set: the
 * focus moves after the render. `paths` are the `data-path` of groups, which cannot be `aria-invalid` themselves.
 */
export function useErrorFocus() {
  const form = useRef<HTMLFormElement>(null)
  const [request, setRequest] = useState<{ paths: readonly string[] }>()
  useEffect(() => {
    if (request) focusFirstError(form.current, request.paths)
  }, [request])
  return { ref: form, focusError: (paths: readonly string[] = []) => setRequest({ paths }) }
}
