#!/usr/bin/env node
import { main } from './commands/main.ts';

process.exitCode = await main(process.argv.slice(2));
