/** Texts that the deck does not have, each with the reason. */
const reasons: Readonly<Record<string, string>> = {
  Dailies: 'the name of the product',
  English: 'the name of a language, in that language',
  简体中文: 'the name of a language, in that language',
  Markdown: 'the name of a format',
  'https://': 'an example of what to type',
  'article; h2': 'an example of what to type',
  '.content': 'an example of what to type',
  'export DAILIES_BASE_URL=… DAILIES_API_KEY=…': 'a command to type',
  'Dailies needs Node.js … or newer; this is ….': 'said on a Node.js that cannot load the deck',
  'In a checkout `npm run --silent dailies -- …` brings the right one.': 'said on a Node.js that cannot load the deck',
  'The list … is broken: row …, …: …': 'a defect of a list that comes with Dailies, for its developers',
  'A port must come with ….': 'a defect of the program, for its developers',
  '… must not be loaded in Electron.': 'a defect of the program, for its developers',
  'Translate every prompt into …. Keep what it describes exactly as it is.': 'sent to a model, not read',
  'Shorten every prompt to at most … words. Keep what is seen and heard.': 'sent to a model, not read',
  'Write versions of every prompt that differ clearly from each other….': 'sent to a model, not read',
  'in this: …': 'sent to a model, not read',
  '“…”. Change nothing else.': 'sent to a model, not read',
};

export const allowedTexts: ReadonlySet<string> = new Set(Object.keys(reasons));
