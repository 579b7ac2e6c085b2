'use strict';
// How both programs end when they cannot go on.

/** The two functions, for the program of this name. */
module.exports = (program) => {
  /** End with one line on stderr. Status 1: the arena does not want us; 2: the command line is wrong. */
  function fail(reason, status) {
    console.error(`${program}: ${reason}`);
    process.exit(status);
  }

  /** The modules that need the packages; without those, one line says how to get them. */
  function load(name) {
    try {
      return require(name);
    } catch (error) {
      if (error.code !== 'MODULE_NOT_FOUND') throw error;
      return fail('its packages are not installed: run `make js`, or `npm ci` in its directory', 2);
    }
  }

  return { fail, load };
};
