import { TextInput, type SelectProps } from '@mantine/core'
import { lazyComponent, OnDemand } from './lazy-component.tsx'

const LoadedSelect = lazyComponent<SelectProps>(() => import('./loaded-select.tsx'))

/** A drop-down list. Its code is loaded after the first paint of a page; until then it is disabled. */
export const Select = (props: SelectProps & { 'data-autofocus'?: boolean }) => (
  <OnDemand fallback={<LoadingSelect {...props} />}>
    {/* A dialog sets the focus once, perhaps before the code has arrived. */}
    <LoadedSelect {...props} {...(props['data-autofocus'] && { autoFocus: true })} />
  </OnDemand>
)

/** The same size as the list, with its label and the text of its value. */
const LoadingSelect = ({ label, description, placeholder, size, w, maw, miw, flex, style, ...props }: SelectProps) => (
  <TextInput
    {...{ label, description, placeholder, size, w, maw, miw, flex, style }}
    aria-label={props['aria-label']}
    withAsterisk={props.withAsterisk ?? props.required}
    value={textOf(props)}
    disabled
    readOnly
  />
)

function textOf({ data = [], value, defaultValue }: SelectProps) {
  const chosen = value ?? defaultValue
  for (const item of data.flatMap((one) => (typeof one === 'object' && 'group' in one ? [...one.items] : [one]))) {
    if (typeof item !== 'object') {
      if (item === chosen) return item
    } else if (item.value === chosen) return 'label' in item ? item.label : ''
  }
  return ''
}
