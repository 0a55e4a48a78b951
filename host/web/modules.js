// Debian's libjs-vega holds Vega in modules that ask for each other by name; here they are functions, run when first
// asked for.
"use strict";
var mantissaModules = {};
function mantissaRequire(name) {
  // One module's file is not named as the others call it.
  var key = name === "vega-selections" ? "vega-selection" : name;
  var made = mantissaRequire.made[key];
  if (!made) {
    if (!mantissaModules[key]) throw new Error("no module " + name);
    made = mantissaRequire.made[key] = {};
    mantissaModules[key](made, mantissaRequire, {});
  }
  return made;
}
mantissaRequire.made = {};
