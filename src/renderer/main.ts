import '@fontsource-variable/inter/wght.css';
import './app.css';
import { speakAsBefore } from './lib/state/language.ts';

// All else comes after it: other modules make texts as they are loaded. The build has both fetched at once.
await speakAsBefore();
await import('./window.ts');
