#compdef @NAMES@
# Completions of the lh tools for zsh, made by "@LH@ completions zsh".

_lh_options() {
	local curcontext=$curcontext state line
	case $1 in
@TOOLS@
	*) _default ;;
	esac
}

_lh_tools() {
	local -a rows=(
@ROWS@
	)
	[[ ${service:t} = @LH@ ]] || { _lh_options ${service:t}; return }
	case $CURRENT:$words[2] in
	2:*) _describe command rows; compadd -- -h --help -V --version ;;
@WORDS@
	*) shift words; ((CURRENT--)); words[1]=lh-$words[1]; _lh_options $words[1] ;;
	esac
}

_lh_tools "$@"
