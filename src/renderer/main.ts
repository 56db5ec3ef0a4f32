import '@fontsource-variable/inter/wght.css';
import './app.css';
import { restoreLanguage } from './lib/state/language.ts';

// All else comes after it: other modules make texts as they are loaded. The build has both fetched at once.
await restoreLanguage();
await import('./window.ts');
