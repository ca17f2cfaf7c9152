@rem npm runs the scripts of package.json by cmd on Windows, which knows no `exec`: this stands in for it.
@%*
