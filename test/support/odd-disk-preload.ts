import { diskOfOthers, oddDisk } from './odd-disk.ts';

/** `node --import` this file: the projects of the process are on a disk of another system. */
oddDisk(diskOfOthers(Math.random));
