/** The languages of the texts, by BCP 47 tag. Apart from the texts: the settings name them, and the engine loads no text. */
export const languages = ['en', 'zh-CN'] as const;
export type Language = (typeof languages)[number];

/** The best of our languages for preferences, most preferred first, as `zh-Hans-CN`, `zh_CN.UTF-8` or `de`. Pure. */
export function languageFor(preferred: readonly string[]): Language {
  for (const each of preferred) {
    const [language] = each.toLowerCase().split(/[-_.@]/, 1);
    const found = languages.find((ours) => ours.split('-', 1)[0] === language);
    if (found) return found;
  }
  return 'en';
}
