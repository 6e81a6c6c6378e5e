/** The language of a tag, even in the form of operating systems: `en-US@posix`, `de_DE.UTF-8`. */
const languageOf = (tag: string) => tag.split(/[-_.@]/, 1)[0]!.toLowerCase()

/** Whether `Intl` accepts the tag: browsers pass on the operating system's tag. */
function isTag(tag: string) {
  try {
    return Intl.getCanonicalLocales(tag).length === 1
  } catch {
    return false
  }
}

/**
 * The first wanted language that is known, otherwise English; and the locale for dates and numbers: the first wanted
 * variant of that language, such as `en-GB`, otherwise the language itself.
 */
export function chooseLocale(wanted: readonly string[], known: readonly string[]) {
  const language = wanted.map(languageOf).find((one) => known.includes(one)) ?? 'en'
  const locale = wanted.find((tag) => tag.includes('-') && languageOf(tag) === language && isTag(tag)) ?? language
  return { language, locale }
}
