// The plugin's own package. The app that it asks for when it is loaded is an empty module; what it keeps to itself is exported.
import { readFileSync } from 'node:fs'
import Module, { createRequire } from 'node:module'

const require = createRequire(import.meta.url)
const file = require.resolve('obsidian-dataview')
const dataview = new Module(file)
dataview.filename = file
dataview.require = (name) => (name === 'obsidian' ? {} : require(name))
const kept = ['Values', 'ExternalLinkWidget']
dataview._compile(readFileSync(file, 'utf8') + kept.map((name) => `\nexports.${name} = ${name}`).join(''), file)

export const { EXPRESSION, QUERY_LANGUAGE, Values, ExternalLinkWidget } = dataview.exports
