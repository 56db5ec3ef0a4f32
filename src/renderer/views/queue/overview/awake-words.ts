/** What becomes of the night's work when nobody is at the computer. Null: this is no program that could keep it awake. */
export function awakeWords(keepsAwake: boolean | null): { readonly word: string; readonly meaning: string } {
  if (keepsAwake === true) return { word: 'Computer kept awake', meaning: 'For as long as takes are made.' };
  if (keepsAwake === false)
    return { word: 'Computer may sleep', meaning: 'Nothing is being made that it would be kept awake for.' };
  return {
    word: 'Not kept awake by Dailies',
    meaning: 'Only the desktop app can do that. Here the queue stands still while the computer sleeps.',
  };
}
