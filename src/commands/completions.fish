# Completions of the lh tools for fish, made by "@LH@ completions fish".

# Whether the first word behind @LH@ is this one, or, without one, whether there is none.
function __lh_is
    set -l words (commandline -opc)
    test "$words[2]" = "$argv[1]"
end

complete -c @LH@ -f
complete -c @LH@ -n __lh_is -s h -l help -d 'print this'
complete -c @LH@ -n __lh_is -s V -l version -d 'print the version'
@ROWS@
@WORDS@
@TOOLS@
