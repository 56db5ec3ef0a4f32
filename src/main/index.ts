import { app } from 'electron';

// A second launch hands its files to the first and ends.
if (!app.requestSingleInstanceLock()) app.quit();
