// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// A token that is worth nothing and says whatever it is told, with the events of the real one.
contract LookAlike {
    string public constant name = "USD Coin";
    string public constant symbol = "USDC";
    uint8 public constant decimals = 6;

    event Transfer(address indexed from, address indexed to, uint256 value);
    event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce);

    function transfer(address to, uint256 value) external returns (bool) {
        emit Transfer(msg.sender, to, value);
        return true;
    }

    /// Claims a transfer by an authorization that nobody signed.
    function pretend(address from, address to, uint256 value, bytes32 nonce) external {
        emit AuthorizationUsed(from, nonce);
        emit Transfer(from, to, value);
    }

    /// Puts an invented authorization directly before whatever a call of another contract emits.
    function pretendBefore(address authorizer, bytes32 nonce, address to, bytes calldata data) external {
        emit AuthorizationUsed(authorizer, nonce);
        (bool done,) = to.call(data);
        require(done, "look-alike: the call failed");
    }
}
